using Microsoft.Extensions.Options;

namespace Geo.Orleans.Tests.Features.Grains;

/// <summary>An ordinary grain, of which each cluster has its own, with its state in the storage that all clusters share.</summary>
public sealed class KeepsInEachCluster(
    [PersistentState("kept", FeatureClusters.SharedStorage)] IPersistentState<KeptState> state, IOptions<GeoOrleansOptions> options)
    : KeepsState(state, options);
