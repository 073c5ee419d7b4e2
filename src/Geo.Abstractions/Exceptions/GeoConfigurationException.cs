namespace Geo;

/// <summary>
/// A setting, an attribute or a start-up line asks for something that cannot be. Raised at start, before anything is changed.
/// </summary>
/// <param name="message">What happened, where and what to do.</param>
/// <param name="innerException">The cause, if another exception is.</param>
public sealed class GeoConfigurationException(string message, Exception? innerException = null) : GeoException(message, innerException);
