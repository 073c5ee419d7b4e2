namespace Geo;

/// <summary>
/// A value could not be written, or what was stored or received could not be read as the type asked for. Nothing stored was changed.
/// </summary>
/// <param name="message">What happened, where and what to do.</param>
/// <param name="innerException">The cause, if another exception is.</param>
public sealed class GeoSerializationException(string message, Exception? innerException = null) : GeoException(message, innerException);
