using Microsoft.Extensions.Options;

namespace Geo.Orleans.Tests.Features.Grains;

[GlobalSingleInstance]
public sealed class KeepsShared(
    [PersistentState("kept", FeatureClusters.SharedStorage)] IPersistentState<KeptState> state, IOptions<GeoOrleansOptions> options)
    : KeepsState(state, options);
