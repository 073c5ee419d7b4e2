namespace Geo;

/// <summary>
/// The operation was refused because something that it needs cannot be reached. It certainly took no effect; it may be tried again.
/// </summary>
/// <param name="message">What happened, where and what to do.</param>
/// <param name="innerException">The cause, if another exception is.</param>
public sealed class GeoUnavailableException(string message, Exception? innerException = null) : GeoException(message, innerException);
