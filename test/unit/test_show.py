"""What is drawn over the ice: fields, targets, detections against truth."""

from __future__ import annotations

import numpy as np

from robohockey_core.state import Pose2D
from robohockey_viz import palette
from robohockey_viz.show import Grid, field_image


def test_a_field_is_blue_where_it_draws_red_where_it_repels_and_clear_where_nothing_is_known():
    values = np.array([[0, 100], [50, -1], [0, 0]], dtype=np.int8)  # three columns along x, two rows along y
    image = field_image(Grid(values, Pose2D(0.0, 0.0), 0.1))
    assert image.shape == (2, 3, 4)
    assert tuple(image[0, 0, :3]) == palette.TEAM["blue"] and tuple(image[1, 0, :3]) == palette.TEAM["red"]
    assert tuple(image[0, 1, :3]) == palette.FRONT
    assert image[1, 1, 3] == 0 and image[0, 0, 3] > 150
