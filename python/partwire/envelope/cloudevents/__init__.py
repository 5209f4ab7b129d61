"""Queue messages as CloudEvents 1.0: structured and binary, over HTTP and Kafka, without IO."""

from .attributes import CloudEvent
from .headers import HttpMessage, KafkaMessage, from_http, from_kafka, to_http, to_kafka
from .mapping import event_type, from_cloudevent, to_cloudevent, to_structured

__all__ = [
    "CloudEvent",
    "HttpMessage",
    "KafkaMessage",
    "event_type",
    "from_cloudevent",
    "from_http",
    "from_kafka",
    "to_cloudevent",
    "to_http",
    "to_kafka",
    "to_structured",
]
