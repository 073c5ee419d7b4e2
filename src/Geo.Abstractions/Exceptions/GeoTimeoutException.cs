namespace Geo;

/// <summary>No answer came within the time allowed: whether the operation took effect is not known.</summary>
/// <param name="message">What happened, where and what to do.</param>
/// <param name="innerException">The cause, if another exception is.</param>
public sealed class GeoTimeoutException(string message, Exception? innerException = null) : GeoException(message, innerException);
