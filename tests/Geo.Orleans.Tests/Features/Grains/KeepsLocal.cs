using Microsoft.Extensions.Options;

namespace Geo.Orleans.Tests.Features.Grains;

/// <summary>Keeps its state in a storage that is each cluster's own. Only a test of the refusal has a storage of this name.</summary>
[GlobalSingleInstance]
public sealed class KeepsLocal(
    [PersistentState("kept", KeepsLocal.OwnStorage)] IPersistentState<KeptState> state, IOptions<GeoOrleansOptions> options)
    : KeepsState(state, options)
{
    public const string OwnStorage = "own";
}
