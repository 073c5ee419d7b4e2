namespace Geo;

/// <summary>
/// What a session has read or written is in no version, and never will be: memory was lost as docs/consistency.md says, a store was set
/// back, or an update could not be written. The call did nothing; the session goes on with a new token.
/// </summary>
/// <param name="message">What happened, where and what to do.</param>
/// <param name="innerException">The cause, if another exception is.</param>
public sealed class SessionLostException(string message, Exception? innerException = null) : GeoException(message, innerException);
