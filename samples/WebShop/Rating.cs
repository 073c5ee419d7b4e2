using Geo.Consistency;

namespace WebShop;

/// <summary>An instance in each region, which reads and writes locally; versions are agreed on in the store.</summary>
[OneInstancePerCluster, BatchedCas]
public sealed class Rating : JournaledGrain<RatingState, Rated>, IRating
{
#pragma warning disable IDE0003 // On Orleans these are extensions.
    // Tokens are not signed: with a false one a call waits in vain, and those of other customers that may not run beside it with it.
    private static readonly TimeSpan Wait = TimeSpan.FromSeconds(1);

    public Task<Versioned<double>> Average() => this.ReadVersion(
        state => state.Stars is { Count: > 0 } stars ? stars.Values.Average() : 0, ViewRead.Tentative with { Wait = Wait });

    public Task<UpdateOutcome> Rate(string customer, int stars) =>
        this.RaiseEvent(new Rated(customer, stars), ViewUpdate.Queued with { Wait = Wait });
#pragma warning restore IDE0003
}

[GenerateSerializer]
public sealed class RatingState
{
    [Id(0)]
    public Dictionary<string, int> Stars { get; set; } = [];

    public void Apply(Rated rated) => Stars[rated.Customer] = rated.Stars;
}

[GenerateSerializer]
public sealed record Rated([property: Id(0)] string Customer, [property: Id(1)] int Stars);
