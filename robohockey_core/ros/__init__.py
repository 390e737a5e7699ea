"""The only place that knows ROS messages, topic names, QoS, parameters and executors."""
