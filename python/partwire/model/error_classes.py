"""Exception classes of the official clients, and of what they stand on → error codes.

By package and name, so that none has to be imported. A class of ``UNKNOWN`` says nothing by
itself: the HTTP status and the provider's words do, or it is never raised by a stream. A subclass
without a row of its own has its base's. Source: requirements S001-52.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

__all__ = ["CLASSES"]

_HTTPX: Final = {
    "timeout": "TimeoutException ConnectTimeout ReadTimeout WriteTimeout PoolTimeout",
    "connection": (
        "TransportError NetworkError ReadError WriteError ConnectError CloseError ProxyError "
        "ProtocolError RemoteProtocolError StreamError StreamConsumed StreamClosed "
        "ResponseNotRead RequestNotRead HTTPError RequestError"
    ),
    # What the client was told to send, or where to, cannot be sent at all.
    "invalid_request": "UnsupportedProtocol LocalProtocolError InvalidURL CookieConflict",
    "provider_internal": "DecodingError TooManyRedirects",
    "unknown": "HTTPStatusError",
}

# Package → error code → names of its classes.
_BY_CODE: Final[dict[str, dict[str, str]]] = {
    "anthropic": {
        "authentication": (
            "AuthenticationError CredentialsError IdentityTokenFileError WorkloadIdentityError"
        ),
        "permission_denied": "PermissionDeniedError",
        "not_found": "NotFoundError",
        "invalid_request": (
            "BadRequestError ConflictError PreconditionFailedError ContentTooLargeError "
            "UnprocessableEntityError RequestHeaderFieldsTooLargeError RequestTooLargeError"
        ),
        "quota_exceeded": "PaymentRequiredError",
        "rate_limited": "RateLimitError",
        "overloaded": "OverloadedError ServiceUnavailableError",
        "timeout": (
            "APITimeoutError RequestTimeoutError GatewayTimeoutError DeadlineExceededError"
        ),
        "connection": "APIConnectionError",
        "cancelled": "ClientClosedRequestError",
        "provider_internal": (
            "InternalServerError HTTPNotImplementedError APIResponseValidationError RetryableError"
        ),
        "unknown": "AnthropicError APIError APIStatusError APIWebhookValidationError",
    },
    "openai": {
        "authentication": "AuthenticationError OAuthError SubjectTokenProviderError",
        "permission_denied": "PermissionDeniedError",
        "not_found": "NotFoundError",
        "invalid_request": "BadRequestError ConflictError UnprocessableEntityError",
        "rate_limited": "RateLimitError",
        "timeout": "APITimeoutError",
        "connection": "APIConnectionError WebSocketConnectionClosedError WebSocketQueueFullError",
        "provider_internal": "InternalServerError APIResponseValidationError",
        "content_filtered": "ContentFilterFinishReasonError",
        "unknown": (
            "OpenAIError APIError APIStatusError LengthFinishReasonError "
            "InvalidWebhookSignatureError"
        ),
    },
    "google.genai": {
        # Its answer is cut or no JSON: the rest of it cannot be read.
        "truncated_stream": "UnknownApiResponseError",
        "invalid_request": (
            "ClientError UnknownFunctionCallArgumentError UnsupportedFunctionError "
            "FunctionInvocationError"
        ),
        "provider_internal": "ServerError",
        "unknown": "APIError ContinuationInterruptedError",
    },
    "google.auth": {
        "authentication": (
            "GoogleAuthError RefreshError UserAccessTokenError DefaultCredentialsError "
            "MutualTLSChannelError ClientCertError OAuthError ReauthFailError "
            "ReauthSamlChallengeFailError MalformedError InvalidResource InvalidOperation "
            "InvalidValue InvalidType OSError"
        ),
        "connection": "TransportError ResponseError",
        "timeout": "TimeoutError",
    },
    "cohere": {
        "authentication": "UnauthorizedError InvalidTokenError",
        "permission_denied": "ForbiddenError",
        "not_found": "NotFoundError",
        "invalid_request": "BadRequestError UnprocessableEntityError",
        "rate_limited": "TooManyRequestsError",
        "overloaded": "ServiceUnavailableError",
        "timeout": "GatewayTimeoutError",
        "cancelled": "ClientClosedRequestError",
        "provider_internal": "InternalServerError NotImplementedError ParsingError SSEError",
        "unknown": "ApiError",
    },
    "botocore": {
        "authentication": (
            "NoCredentialsError NoAuthTokenError TokenRetrievalError UnknownTokenProviderError "
            "PartialCredentialsError CredentialRetrievalError UnknownCredentialError "
            "ProfileNotFound RefreshWithMFAUnsupportedError MetadataRetrievalError SSOError "
            "SSOTokenLoadError UnauthorizedSSOTokenError PendingAuthorizationExpiredError "
            "LoginError LoginRefreshRequired LoginInsufficientPermissions LoginTokenLoadError "
            "LoginAuthorizationCodeError"
        ),
        "permission_denied": "AccessDeniedException",
        "not_found": "ResourceNotFoundException",
        # What the client was told to send, or how it is set up, cannot be sent at all.
        "invalid_request": (
            "ParamValidationError ValidationError ValidationException ConflictException "
            "MissingParametersError UnknownKeyError RangeError UnknownParameterError "
            "InvalidRegionError AliasConflictParameterError NoRegionError UnknownRegionError "
            "ServiceNotInRegionError BaseEndpointResolverError EndpointVariantError "
            "UnknownEndpointError UnknownFIPSEndpointError InvalidHostLabelError "
            "InvalidDNSNameError EndpointProviderError EndpointResolutionError "
            "UnknownEndpointResolutionBuiltInName InvalidEndpointConfigurationError "
            "UnknownServiceError DataNotFoundError ApiVersionNotFoundError UnknownServiceStyle "
            "UnknownSignatureVersionError UnsupportedSignatureVersionError "
            "UnsupportedServiceProtocolsError UnknownClientMethodError UnseekableStreamError "
            "ConfigParseError ConfigNotFound InvalidConfigError InfiniteLoopConfigError "
            "InvalidProxiesConfigError InvalidDefaultsMode InvalidRetryConfigurationError "
            "InvalidMaxRetryAttemptsError InvalidRetryModeError InvalidChecksumConfigError "
            "InvalidIMDSEndpointError InvalidIMDSEndpointModeError MissingDependencyException"
        ),
        "quota_exceeded": "ServiceQuotaExceededException",
        "rate_limited": "ThrottlingException CapacityNotAvailableError",
        "overloaded": "ServiceUnavailableException ModelNotReadyException",
        "timeout": "ReadTimeoutError ConnectTimeoutError ModelTimeoutException",
        "connection": (
            "HTTPClientError ConnectionError EndpointConnectionError SSLError "
            "ConnectionClosedError ProxyConnectionError ResponseStreamingError "
            "IncompleteReadError ChecksumError FlexibleChecksumError AwsChunkedWrapperError"
        ),
        "provider_internal": (
            "InternalServerException ModelErrorException ModelStreamErrorException "
            "ResponseParserError EventStreamError"
        ),
        "unknown": (
            "BotoCoreError ClientError PaginationError OperationNotPageableError WaiterError "
            "WaiterConfigError InvalidExpressionError InvalidS3AddressingStyleError "
            "UnsupportedS3ArnError UnsupportedS3ControlArnError UnsupportedOutpostResourceError "
            "UnsupportedS3ConfigurationError UnsupportedS3AccesspointConfigurationError "
            "UnsupportedS3ControlConfigurationError InvalidEndpointDiscoveryConfigurationError "
            "InvalidS3UsEast1RegionalEndpointConfigError InvalidSTSRegionalEndpointsConfigError "
            "StubResponseError StubAssertionError UnStubbedResponseError MD5UnavailableError "
            "UndefinedModelAttributeError MissingServiceIdError"
        ),
    },
    "urllib3": {
        "timeout": "TimeoutError ReadTimeoutError ConnectTimeoutError",
        "connection": (
            "HTTPError PoolError RequestError SSLError ProxyError ProtocolError MaxRetryError "
            "HostChangedError NewConnectionError NameResolutionError EmptyPoolError "
            "FullPoolError ClosedPoolError ResponseError ResponseNotChunked IncompleteRead "
            "InvalidChunkLength"
        ),
        "invalid_request": (
            "LocationValueError LocationParseError URLSchemeUnknown ProxySchemeUnknown "
            "ProxySchemeUnsupported TimeoutStateError UnrewindableBodyError"
        ),
        "provider_internal": (
            "DecodeError BodyNotHttplibCompatible InvalidHeader HeaderParsingError"
        ),
    },
    "httpx": _HTTPX,
    "httpx2": _HTTPX,
    "builtins": {"timeout": "TimeoutError", "connection": "ConnectionError EOFError OSError"},
    "http": {"connection": "IncompleteRead HTTPException"},
    "socket": {"connection": "gaierror"},
    "ssl": {"connection": "SSLError"},
    "anyio": {"connection": "BrokenResourceError ClosedResourceError EndOfStream"},
    # The client cannot make its own objects of what the provider sent.
    "pydantic_core": {"provider_internal": "ValidationError"},
}

CLASSES: Final[Mapping[str, Mapping[str, str]]] = {
    package: {name: code for code, names in rows.items() for name in names.split()}
    for package, rows in _BY_CODE.items()
}
"""Package → name of a class → error code."""
