namespace Geo;

/// <summary>
/// No answer came in time, or the operation was cut off after it had been sent: whether it took effect is not known. Read before trying
/// again.
/// </summary>
/// <param name="message">What happened, where and what to do.</param>
/// <param name="innerException">The cause, if another exception is.</param>
public sealed class GeoOutcomeUnknownException(string message, Exception? innerException = null) : GeoException(message, innerException);
