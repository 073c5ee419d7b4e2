using Geo;
using Geo.Embedded;

namespace WebShop;

/// <summary>An instance in each region, which reads and writes locally; versions are agreed on in the store.</summary>
[OneInstancePerCluster, BatchedCas]
public sealed class Rating : JournaledGrain<RatingState, Rated>, IRating
{
    public Task<double> Average() =>
        Task.FromResult(TentativeState.Stars is { Count: > 0 } stars ? stars.Values.Average() : 0);

    public Task Rate(string customer, int stars)
    {
        RaiseEvent(new Rated(customer, stars));
        return Task.CompletedTask;
    }
}

public sealed class RatingState
{
    public Dictionary<string, int> Stars { get; set; } = [];

    public void Apply(Rated rated) => Stars[rated.Customer] = rated.Stars;
}

public sealed record Rated(string Customer, int Stars);
