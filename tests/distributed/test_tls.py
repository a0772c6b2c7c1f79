"""A scheduler that speaks TLS: who has a certificate of its authority may use it, nobody else."""

from __future__ import annotations

import datetime
import ipaddress

import numpy as np
import pytest

distributed = pytest.importorskip("distributed")
pytest.importorskip("cryptography")

import dask  # noqa: E402
from cryptography import x509  # noqa: E402
from cryptography.hazmat.primitives import hashes, serialization  # noqa: E402
from cryptography.hazmat.primitives.asymmetric import ec  # noqa: E402
from cryptography.x509.oid import NameOID  # noqa: E402

from parzen.__main__ import main  # noqa: E402
from parzen.distributed import connect  # noqa: E402

pytestmark = pytest.mark.slow


def certificate(folder, name, issuer=None):
    """A key and a certificate for this machine, signed by the issuer or by itself, as files."""
    key = ec.generate_private_key(ec.SECP256R1())
    subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])
    signer, signing_key = (subject, key) if issuer is None else issuer
    now = datetime.datetime.now(datetime.UTC)
    host = x509.IPAddress(ipaddress.ip_address("127.0.0.1"))
    signed = (
        x509.CertificateBuilder()
        .subject_name(subject).issuer_name(signer).public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - datetime.timedelta(days=1))
        .not_valid_after(now + datetime.timedelta(days=1))
        .add_extension(x509.BasicConstraints(ca=issuer is None, path_length=None), critical=True)
        .add_extension(x509.SubjectAlternativeName([host]), critical=False)
        .sign(signing_key, hashes.SHA256())
    )  # fmt: skip
    (folder / f"{name}.crt").write_bytes(signed.public_bytes(serialization.Encoding.PEM))
    (folder / f"{name}.key").write_bytes(
        key.private_bytes(
            serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8,
            serialization.NoEncryption(),
        )
    )  # fmt: skip
    return subject, key


def settings(folder, authority, name):
    """What a user writes into dask's configuration, or into its environment variables."""
    pair = {"cert": str(folder / f"{name}.crt"), "key": str(folder / f"{name}.key")}
    return {
        "distributed.comm.tls.ca-file": str(folder / f"{authority}.crt"),
        **{f"distributed.comm.tls.{role}": pair for role in ("client", "scheduler", "worker")},
    }


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    place = tmp_path_factory.mktemp("certificates")
    certificate(place, "ours", certificate(place, "authority"))
    certificate(place, "theirs", certificate(place, "stranger"))
    return place


@pytest.fixture(scope="module")
def address(folder):
    with dask.config.set(settings(folder, "authority", "ours")):
        security = distributed.Security(require_encryption=True)
        with distributed.LocalCluster(
            n_workers=1, threads_per_worker=1, processes=False, protocol="tls://",
            host="127.0.0.1", dashboard_address=None, security=security,
        ) as cluster:  # fmt: skip
            yield cluster.scheduler_address


def test_a_command_runs_on_a_scheduler_that_speaks_tls(folder, address, tmp_path, capsys):
    rng = np.random.default_rng(0)
    y = np.arange(30) % 2
    rows = [f"{x:.3f},{'pq'[c]}" for x, c in zip(rng.normal(size=30) + 2 * y, y, strict=True)]
    table = tmp_path / "data.csv"
    table.write_text("\n".join(["a,y", *rows]))
    compare = [
        "compare",
        str(table),
        "--methods",
        "parzen,nb",
        "--splits",
        "2",
        "--scheduler",
        address,
    ]
    assert address.startswith("tls://127.0.0.1:")
    with dask.config.set(settings(folder, "authority", "ours")):
        assert main(compare) == 0, capsys.readouterr().err
    with dask.config.set(settings(folder, "stranger", "theirs")):
        assert main(compare) == 2
    assert "no scheduler answers" in capsys.readouterr().err


@pytest.mark.parametrize(("authority", "name"), [("stranger", "theirs"), ("authority", "theirs")])
def test_who_has_no_certificate_of_the_authority_is_refused(folder, address, authority, name):
    with (
        dask.config.set(settings(folder, authority, name)),
        pytest.raises(ConnectionError, match="no scheduler answers"),
    ):
        connect(address, timeout=2)


def test_who_does_not_speak_tls_is_refused(address):
    with pytest.raises(ConnectionError, match="no scheduler answers"):
        connect(address.replace("tls://", "tcp://"), timeout=2)
