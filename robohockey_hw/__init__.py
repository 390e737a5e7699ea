"""Real robots: wire protocol, serial links, driver, emulator, joystick."""
