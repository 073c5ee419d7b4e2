namespace Geo;

/// <summary>
/// What a session has read or written is in no version any more: memory was lost as docs/consistency.md says, or a store was set back. The
/// session goes on with a new token.
/// </summary>
/// <param name="message">What happened, where and what to do.</param>
/// <param name="innerException">The cause, if another exception is.</param>
public sealed class SessionLostException(string message, Exception? innerException = null) : GeoException(message, innerException);
