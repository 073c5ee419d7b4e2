using Geo.Experiments.Messaging.Plain;

namespace Geo.Experiments.Messaging;

/// <summary>Makes the peer that the settings ask for.</summary>
internal static class ExperimentPeer
{
    public static async Task<IExperimentPeer> StartAsync(PeerSettings settings) =>
        settings.Variant.Stack == Stack.Plain ? PlainPeer.Start(settings)
        : settings.Cell.Workload == Workload.KeyValue ? await KeyValuePeer.StartAsync(settings)
        : await GeoPeer.StartAsync(settings);
}
