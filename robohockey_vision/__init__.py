"""Camera images to positions: the omni remap table, detectors, calibration."""
