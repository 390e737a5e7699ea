"""Physics and simulated sensors: what stands in for the rink, the robots and the cameras."""
