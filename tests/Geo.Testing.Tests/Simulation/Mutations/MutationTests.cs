using System.Globalization;
using System.Text.RegularExpressions;

namespace Geo.Testing.Tests;

/// <summary>
/// Each rule of the protocols and each of their compare-and-swaps, switched off alone, is missed within so many seeds: what the simulation
/// would not notice it does not prove.
/// </summary>
public class MutationTests(ITestOutputHelper output)
{
    public static TheoryData<Mutation> Table => [.. Mutation.Table().Where(m => m.IsFound)];

    public static TheoryData<Mutation> HeldWrites => [.. Mutation.Table().Where(m => m.IsHeld)];

    [Theory]
    [MemberData(nameof(Table))]
    public void What_is_switched_off_is_missed(Mutation mutation)
    {
        ArgumentNullException.ThrowIfNull(mutation);
        var broken = Enumerable.Range(mutation.First, mutation.Within).Select(mutation.Run).FirstOrDefault(found => found is not null);
        output.WriteLine($"{mutation.Name}: {broken}");
        Assert.True(broken is not null, $"Without {mutation.Name} no seed of {mutation.Within} broke anything.");
    }

    [Theory]
    [MemberData(nameof(HeldWrites))]
    public void Writes_that_wait_break_nothing(Mutation mutation)
    {
        ArgumentNullException.ThrowIfNull(mutation);
        Assert.All(Enumerable.Range(mutation.First, 10), seed => Assert.Null(mutation.Run(seed, compares: true)));
        Assert.True(mutation.Overtaken > 0);
    }

    [Fact]
    public void Nothing_that_can_be_switched_off_is_left_out() =>
        Assert.Empty(Enum.GetNames<ProtocolRule>().Concat(Mutation.Swaps).Except(Mutation.Table().SelectMany(m => m.Parts)));

    [Fact]
    public void The_table_in_the_docs_says_what_was_measured()
    {
        var found = Mutation.Table().Where(m => m.IsFound).ToArray();
        Assert.Equal(found.Select(m => m.Row(m.First)).Order(), Mutation.Measured().Order());
        Assert.All(found, m => Assert.Equal(Mutation.WithinOf(m.First), m.Within));
    }

    /// <summary>Searches for the first seeds anew: docs/simulation.md has the command.</summary>
    [Fact(Explicit = true)]
    public void Measure()
    {
        var most = int.Parse(Environment.GetEnvironmentVariable("GEO_MUTATION_SEEDS") ?? "300", CultureInfo.InvariantCulture);
        var names = Environment.GetEnvironmentVariable("GEO_MUTATIONS") ?? ".";
        IEnumerable<Mutation> all = Environment.GetEnvironmentVariable("GEO_MUTATION_WORLDS") is { } worlds
            ? names.Split(' ').SelectMany(name => worlds.Split(';').Select(w => new Mutation(name, w, 1, 0)))
            : Mutation.Table().Where(m => m.IsFound && Regex.IsMatch(m.Name, names));
        foreach (var mutation in all)
        {
            var found = Enumerable.Range(1, most).Select(seed => (Seed: seed, Broken: mutation.Run(seed)))
                .FirstOrDefault(run => run.Broken is not null);
            output.WriteLine($"{mutation.Row(found.Broken is null ? null : found.Seed)} of {most} | overtaken {mutation.Overtaken} | "
                + $"{found.Broken?.Split(Environment.NewLine)[0]}");
        }
    }
}
