"""The image, the compose file and the entry point: accepted by their linters, and true to the settings."""

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

ROOT = Path(__file__).resolve().parents[2]
DOCKER = ROOT / "docker"
PROGRAMS = Path(sys.executable).parent
# Read by the entry point and the compose file, not by the site.
OF_THE_SHELL = {
    "INBOUND_ADDRESS",
    "POSTGRES_PASSWORD",
    "WEB_ADDRESS",
    "WEB_BIND",
    "WEB_PORT",
    "WEB_PROCESSES",
    "WORKER_PROCESSES",
}


def run(*command: str | Path, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [str(part) for part in command],
        cwd=ROOT,
        env={"PATH": f"{PROGRAMS}:{os.environ['PATH']}", "HOME": os.environ.get("HOME", "/"), **environment},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


def compose_accepted(file: Path) -> subprocess.CompletedProcess[str]:
    """The compose specification's own schema comes with check-jsonschema; nothing is fetched."""
    return run("check-jsonschema", "--builtin-schema", "vendor.compose-spec", file)


@pytest.fixture(scope="module")
def compose() -> dict[str, Any]:
    loaded = yaml.safe_load((DOCKER / "compose.yml").read_text())
    assert isinstance(loaded, dict)
    return loaded


def test_the_compose_file_is_what_the_specification_allows() -> None:
    done = compose_accepted(DOCKER / "compose.yml")
    assert done.returncode == 0, done.stdout


def test_a_slip_in_a_compose_file_would_be_seen(tmp_path: Path) -> None:
    slip = tmp_path / "compose.yml"
    slip.write_text((DOCKER / "compose.yml").read_text().replace("depends_on:", "depend_on:", 1))
    assert compose_accepted(slip).returncode == 1


def test_the_linter_has_nothing_to_say_about_the_image() -> None:
    done = run("hadolint", DOCKER / "Dockerfile")
    assert (done.returncode, done.stdout) == (0, "")


def test_a_slip_in_the_image_would_be_seen(tmp_path: Path) -> None:
    slip = tmp_path / "Dockerfile"
    slip.write_text("FROM python:latest\nRUN cd /srv && sudo apt-get install x\n")
    assert run("hadolint", slip).returncode == 1


@pytest.mark.skipif(not (PROGRAMS / "shellcheck").exists(), reason="there is no wheel of shellcheck for this machine")
@pytest.mark.parametrize("script", ["docker/entrypoint.sh", ".ci/run"])
def test_the_linter_has_nothing_to_say_about(script: str) -> None:
    done = run("shellcheck", ROOT / script)
    assert (done.returncode, done.stdout) == (0, "")
    assert os.access(ROOT / script, os.X_OK)


def test_every_setting_is_told_in_the_example_and_nothing_else() -> None:
    readers = (ROOT / "roadkill_site" / "settings.py").read_text()
    read = set(re.findall(r'ENVIRONMENT\.\w+\(\s*"([A-Z_]+)"', readers))
    told = set(re.findall(r"^#?([A-Z_]+)=", (DOCKER / "env.example").read_text(), re.MULTILINE))
    assert len(read) > 20
    assert told - OF_THE_SHELL == read


def test_every_service_is_watched_and_every_image_names_its_version(compose: dict[str, Any]) -> None:
    assert set(compose["services"]) == {"web", "worker", "beat", "inbound", "postgres", "redis"}
    for name, service in compose["services"].items():
        assert service["healthcheck"]["test"], name
        assert service["image"] == "roadkill" or re.search(r":\d", service["image"]), name


def test_the_entry_point_knows_every_role_of_the_compose_file(compose: dict[str, Any]) -> None:
    script = (DOCKER / "entrypoint.sh").read_text()
    for name in ("web", "worker", "beat", "inbound"):
        assert compose["services"][name]["command"] == [name]
        assert f"\n    {name})\n" in script


def test_the_image_runs_as_nobody_in_particular_and_installs_only_what_is_locked() -> None:
    image = (DOCKER / "Dockerfile").read_text()
    assert re.search(r"^USER 10001:10001$", image, re.MULTILINE)
    assert "--require-hashes" in image
    assert image.index("USER 10001") < image.index("ENTRYPOINT")


@pytest.mark.parametrize("role", ["web", "worker", "beat", "inbound", "check"])
def test_a_missing_setting_stops_every_role_with_one_sentence(role: str) -> None:
    done = run("sh", DOCKER / "entrypoint.sh", role, ROADKILL_MODE="production")
    assert done.returncode == 3
    assert done.stdout == ""
    assert done.stderr.startswith("Setting SITE_URL: it is missing; set it to ")
    assert done.stderr.count("\n") == 1


def test_settings_that_do_not_fit_together_stop_the_entry_point(tmp_path: Path) -> None:
    done = run(
        "sh", DOCKER / "entrypoint.sh", "web", VAR_DIR=str(tmp_path), ALLOWED_HOSTS="other.example.org"
    )  # fmt: skip
    assert done.returncode == 3
    assert "Setting ALLOWED_HOSTS: " in done.stderr
    assert "Traceback" not in done.stderr


def test_the_entry_point_runs_any_other_command_of_the_site(tmp_path: Path) -> None:
    done = run("sh", DOCKER / "entrypoint.sh", "check", VAR_DIR=str(tmp_path))
    assert done.returncode == 0, done.stderr
    assert "no issues" in done.stdout
