namespace Geo;

/// <summary>The base of every exception that Geo itself raises. The message says what happened, where and what to do.</summary>
public class GeoException : Exception
{
    /// <summary>Creates the exception.</summary>
    /// <param name="message">What happened, where and what to do.</param>
    /// <param name="innerException">The cause, if another exception is.</param>
    public GeoException(string message, Exception? innerException = null)
        : base(message, innerException)
    {
    }
}
