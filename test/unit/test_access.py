"""Who may control from where."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from robohockey_viz.access import Access, Caller, caller_of, host_name, is_loopback


@pytest.mark.parametrize("address", ["127.0.0.1", "127.9.9.9", "::1", "::ffff:127.0.0.1", "localhost"])
def test_this_machine_controls_without_a_token(address):
    access = Access()
    assert is_loopback(address) and access.welcome(1, Caller(address, "http://localhost:8080", "localhost:8080"))
    assert access.may_control(1) and not access.may_control(2)


@pytest.mark.parametrize("address", ["192.168.1.7", "10.0.0.2", "2001:db8::1", "fe80::1%eth0", "", "nonsense", "0.0.0.0"])
def test_another_machine_watches_until_it_says_the_token(address):
    access = Access()
    assert not access.welcome(3, Caller(address))
    assert not access.offer(3, "guess") and not access.may_control(3)
    assert access.offer(3, f" {access.token} ") and access.may_control(3)
    access.forget(3)
    assert not access.may_control(3)


def test_a_foreign_page_in_a_browser_of_this_machine_is_a_stranger():
    access = Access()
    assert not access.welcome(4, Caller("127.0.0.1", "https://example.org", "localhost:8080"))


@pytest.mark.parametrize(
    "host", ["evil.example:8080", "evil.example", "127.0.0.1.evil.example:8080", "0.0.0.0:8080", "[::1", ""]
)
def test_a_foreign_name_that_points_at_this_machine_is_a_stranger(host):
    """DNS rebinding: address and origin are in order, but nobody here calls this machine so."""
    access = Access()
    assert not access.welcome(5, Caller("127.0.0.1", f"http://{host}", host))
    assert not access.welcome(6, Caller("127.0.0.1", "", host))


@pytest.mark.parametrize("host", ["localhost:8080", "127.0.0.1:8080", "[::1]:8080", "LOCALHOST", "127.0.0.1"])
def test_the_names_of_this_machine_are_no_strangers(host):
    assert is_loopback(host_name(host)) and Access().welcome(7, Caller("127.0.0.1", f"http://{host}", host))


def test_tokens_are_made_up_anew_and_can_be_given():
    assert Access().token != Access().token and len(Access().token) >= 12
    assert Access("sesame").token == "sesame"


def test_a_connection_that_cannot_be_read_is_far_away():
    assert caller_of(None) == Caller("")
    headers = {"Origin": "http://a:1", "Host": "a:1"}
    connection = SimpleNamespace(remote_address=("127.0.0.1", 5), request=SimpleNamespace(headers=headers))
    assert caller_of(connection) == Caller("127.0.0.1", "http://a:1", "a:1")
    assert not Access().may_control(None)
