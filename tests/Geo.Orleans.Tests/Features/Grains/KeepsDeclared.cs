using Microsoft.Extensions.Options;

namespace Geo.Orleans.Tests.Features.Grains;

/// <summary>Keeps its state in a database of the application that both clusters use.</summary>
[GlobalSingleInstance]
public sealed class KeepsDeclared(
    [PersistentState("kept", FeatureClusters.DeclaredStorage)] IPersistentState<KeptState> state, IOptions<GeoOrleansOptions> options)
    : KeepsState(state, options);
