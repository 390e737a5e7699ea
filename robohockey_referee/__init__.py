"""Rules, match clock, restarts and placement: who may do what, and why play stopped."""
