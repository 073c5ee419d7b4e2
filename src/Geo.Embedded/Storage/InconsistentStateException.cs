namespace Geo.Embedded;

/// <summary>
/// A grain's state was not written because another instance changed what is stored. The write certainly took no effect; the activation
/// ends after the present call, and the next one reads the state afresh.
/// </summary>
/// <param name="message">What happened, where and what to do.</param>
/// <param name="innerException">The cause, if another exception is.</param>
public sealed class InconsistentStateException(string message, Exception? innerException = null) : GeoException(message, innerException);
