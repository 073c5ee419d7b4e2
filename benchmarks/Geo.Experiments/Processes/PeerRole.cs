using System.Net;
using Geo.Experiments.Messaging;
using Geo.Processes;

namespace Geo.Experiments.Processes;

/// <summary>
/// A program as one peer of an experiment: asked with the addresses of all peers, it does its part and answers with figures.
/// </summary>
internal static class PeerRole
{
    public const string Name = "peer";

    /// <param name="startAsync">Makes the peer that the settings ask for.</param>
    public static Task<int> RunAsync(Func<PeerSettings, Task<IExperimentPeer>> startAsync) =>
        ChildRole.RunAsync<PeerSettings>(async (parent, settings) =>
        {
            await using var peer = await startAsync(settings);
            parent.Ready(peer.Port, (string[] addresses) => peer.RunAsync([.. addresses.Select(IPEndPoint.Parse)]));
            await parent.Stop;

            // The experiment's end, however it comes, is this process's end, whatever else still runs.
            Environment.Exit(0);
        });
}
