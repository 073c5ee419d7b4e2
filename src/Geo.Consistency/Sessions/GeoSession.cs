namespace Geo.Consistency;

/// <summary>
/// One user's session: keeps the token of what it has read and written. Thread-safe; calls that run at one time are in no order.
/// </summary>
public sealed class GeoSession
{
    /// <summary>The key of the token in a call's request context, as text.</summary>
    public const string ContextKey = "geo.session";

    /// <summary>The HTTP header in which a web front end takes the token, as text, and gives it back.</summary>
    public const string Header = "Geo-Session";

    private readonly Lock _gate = new();

    /// <summary>Begins a session, or goes on with one.</summary>
    /// <param name="token">The token so far; null for a new session.</param>
    public GeoSession(SessionToken? token = null) => Token = token ?? SessionToken.None;

    /// <summary>What the session has read and written: to be sent with its next call.</summary>
    public SessionToken Token { get; private set; }

    /// <summary>A call has returned.</summary>
    /// <param name="sent">The token that it was given.</param>
    /// <param name="received">The token of its result.</param>
    public void Take(SessionToken sent, SessionToken received)
    {
        lock (_gate)
        {
            Token = Token.After(sent, received);
        }
    }
}
