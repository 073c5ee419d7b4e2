namespace Geo.Experiments.Processes;

/// <summary>
/// What the experiment and a peer process say to each other over its standard streams, a line each. The first line to the peer is its
/// settings, the second the addresses of all peers; the end of its input means that the experiment is over.
/// </summary>
internal static class PeerWords
{
    /// <summary>From the peer: it listens; its port follows.</summary>
    public const string Listening = "listening ";

    /// <summary>From the peer: its figures follow as JSON.</summary>
    public const string Result = "result ";

    /// <summary>From the peer: it cannot go on; the reason follows.</summary>
    public const string Failed = "failed ";
}
