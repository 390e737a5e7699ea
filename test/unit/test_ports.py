"""Finding a port: the first one that is free, and one clear line when there is none."""

from __future__ import annotations

import socket

import pytest

from robohockey_core.checked import InputError
from robohockey_viz import ports

HOST = "127.0.0.1"


@pytest.fixture
def taken():
    with socket.create_server((HOST, 0)) as server:
        yield server.getsockname()[1]


def test_a_free_port_is_taken_as_it_is(taken):
    port = ports.free_port(HOST, taken + 1)
    assert port > taken
    assert ports.free_port(HOST, port) == port


def test_a_busy_port_gives_way_to_a_later_one(taken):
    assert taken < ports.free_port(HOST, taken) < taken + ports.ATTEMPTS


def test_no_free_port_is_said_in_one_line(taken, monkeypatch):
    monkeypatch.setattr(ports, "ATTEMPTS", 1)
    with pytest.raises(InputError, match=rf"ports {taken} to {taken} of {HOST} are all in use"):
        ports.free_port(HOST, taken)


@pytest.mark.parametrize("host", ["203.0.113.1", "no.such.host.invalid"])
def test_a_host_that_is_not_this_machine_is_refused(host):
    with pytest.raises(InputError, match=rf"cannot listen on host {host}"):
        ports.free_port(host, 8080)
