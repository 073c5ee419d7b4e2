using Microsoft.Extensions.Options;

namespace Geo.Orleans.Tests.Features.Grains;

/// <summary>Its state ends with the instance.</summary>
[GlobalSingleInstance]
public sealed class KeepsVolatile(
    [PersistentState("kept", FeatureClusters.VolatileStorage)] IPersistentState<KeptState> state, IOptions<GeoOrleansOptions> options)
    : KeepsState(state, options);
