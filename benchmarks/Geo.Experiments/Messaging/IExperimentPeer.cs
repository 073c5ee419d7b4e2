using System.Net;

namespace Geo.Experiments.Messaging;

/// <summary>One peer of a cell.</summary>
internal interface IExperimentPeer : IAsyncDisposable
{
    /// <summary>The port on which it listens.</summary>
    int Port { get; }

    /// <summary>Does its part now that all peers listen.</summary>
    /// <param name="addresses">Where it reaches each peer.</param>
    /// <returns>What it measured; null when it only answers.</returns>
    Task<PeerFigures?> RunAsync(IReadOnlyList<IPEndPoint> addresses);
}
