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


def test_addresses_are_links_that_work(monkeypatch):
    monkeypatch.setattr(ports, "own_address", lambda: "192.168.1.7")
    assert ports.links(HOST, 8080) == ("http://127.0.0.1:8080", "")
    for everywhere in ("0.0.0.0", "::"):
        assert ports.links(everywhere, 8081) == ("http://127.0.0.1:8081", "http://192.168.1.7:8081")
    assert ports.links("192.168.1.9", 8082) == ("http://192.168.1.9:8082",) * 2
    assert ports.links("::1", 8083) == ("http://[::1]:8083", "")
