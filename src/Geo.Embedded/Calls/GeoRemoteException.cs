namespace Geo.Embedded;

/// <summary>
/// A grain in another process threw an exception of a type that this process was not told to create. Declare the type with
/// <c>AddException</c> on both sides to receive it as itself.
/// </summary>
public sealed class GeoRemoteException : GeoException
{
    /// <summary>Creates the exception.</summary>
    /// <param name="remoteType">The full name of the exception's type where it was thrown.</param>
    /// <param name="message">Its message.</param>
    /// <param name="innerException">Its cause.</param>
    public GeoRemoteException(string remoteType, string message, Exception? innerException = null)
        : base($"{remoteType}: {message}", innerException)
    {
        RemoteType = remoteType;
        RemoteMessage = message;
    }

    /// <summary>The full name of the exception's type where it was thrown.</summary>
    public string RemoteType { get; }

    /// <summary>The message of the exception where it was thrown.</summary>
    public string RemoteMessage { get; }
}
