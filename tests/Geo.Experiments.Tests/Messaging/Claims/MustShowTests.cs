using Geo.Experiments.Messaging;
using Geo.Experiments.Messaging.Claims;

namespace Geo.Experiments.Tests.Messaging.Claims;

public sealed class MustShowTests
{
    private static readonly Variant OwnKey = Variant.GeoOwnKey(Runs.Lanes);
    private static readonly Variant Beside = Variant.PlainBeside(Runs.Lanes);

    [Fact]
    public void Every_variant_of_a_claim_runs_at_its_cell_in_every_repeat()
    {
        var cells = MustShow.Cells(Runs.Lanes).ToDictionary(cell => cell.Cell, cell => cell.Variants);

        Assert.All(MustShow.Claims(Runs.Lanes), claim => Assert.Empty(claim.Variants.Except(cells[claim.Cell])));
    }

    [Fact]
    public void Orleans_stands_beside_with_one_connection_and_with_N_wherever_it_has_variants() =>
        Assert.All(
            MustShow.Cells(Runs.Lanes).Where(cell => Variant.Of(cell.Cell.Workload, Runs.Lanes).Any(IsOrleans)),
            cell => Assert.Equal(
                [1, Runs.Lanes], cell.References.Where(variant => variant.Stack == Stack.Orleans).Select(variant => variant.Lanes)));

    [Fact]
    public void Half_a_megabyte_at_1_ms_is_measured_by_the_better_plain_variant()
    {
        const string Cell = "echo/512KB/1ms/x16";
        var outcome = Only(Cell).Judge(
        [
            Runs.Of(Cell, Variant.Geo(Runs.Lanes), 1, 80), Runs.Of(Cell, Variant.Plain(1), 1, 100),
            Runs.Of(Cell, Variant.Plain(Runs.Lanes), 1, 50),
        ]);

        Assert.Equal([0.8], outcome.Ratios);
    }

    [Fact]
    public void The_ideal_is_one_message_to_and_fro_for_every_actor_in_a_round_trip()
    {
        const string Cell = "echo/1KB/20ms/x128";
        var outcome = Only(Cell).Judge([Runs.Of(Cell, Variant.Geo(Runs.Lanes), 1, 6_272)]);

        Assert.Equal(0.98, Assert.Single(outcome.Ratios), 9);
    }

    [Fact]
    public void Pings_are_compared_with_those_of_the_same_run_before_the_bulk_began()
    {
        var outcomes = HeadOfLine(
            Runs.Pings(OwnKey, 1, idle: 20, beside: 21, bulk: 30), Runs.Pings(Beside, 1, idle: 20, beside: 90, bulk: 60));

        Assert.Equal(1.05, outcomes[0].Spread.Median, 9);
        Assert.Equal(2.1, outcomes[1].Spread.Median, 9);
        Assert.Equal(240, outcomes[0].FewestOperations);
    }

    [Theory]
    [InlineData(800, 1000, true)]
    [InlineData(799, 1000, false)]
    public void Bulk_needs_80_percent_of_what_plain_connections_carry_however_much_it_is(double geo, double plain, bool isMet)
    {
        var outcomes = HeadOfLine(
            Runs.Pings(OwnKey, 1, idle: 20, beside: 21, bulk: geo), Runs.Pings(Beside, 1, idle: 20, beside: 90, bulk: plain));

        Assert.Equal(isMet, outcomes[2].IsMet);
    }

    private static bool IsOrleans(Variant variant) => variant.Stack == Stack.Orleans;

    private static Claim Only(string cell) => Assert.Single(MustShow.Claims(Runs.Lanes), claim => claim.Cell.ToString() == cell);

    private static ClaimOutcome[] HeadOfLine(params RunRecord[] runs) =>
        [.. MustShow.Claims(Runs.Lanes).Where(claim => claim.Variants[0] == OwnKey).Select(claim => claim.Judge(runs))];
}
