using System.CommandLine;
using Geo.Experiments.Messaging;

namespace Geo.Experiments.Tests.Messaging;

public sealed class MessagingOptionSetTests
{
    [Fact]
    public void Without_options_every_cell_runs_five_times_after_four_seconds()
    {
        var plan = Plan("");

        Assert.Equal(Cell.All, plan.Cells.Select(cell => cell.Cell));
        Assert.Equal((5, 4, 4, 16), (plan.Repeats, plan.WarmUpSeconds, plan.MeasureSeconds, plan.Lanes));
    }

    [Fact]
    public void A_part_of_what_must_be_shown_can_be_asked_for()
    {
        var plan = Plan("--must-show --only hol* --variants geo,");

        var cell = Assert.Single(plan.Cells);
        Assert.Equal(["geo, 16 lanes, own key", "geo, own channel beside 16 lanes"], cell.Variants.Select(variant => variant.Name));
        Assert.Empty(cell.References);
    }

    [Fact]
    public void What_no_limit_is_about_runs_in_the_first_repeats_only()
    {
        var plan = Plan("--must-show --only echo/512KB/145ms/x128 --repeats 3 --reference-repeats 1");

        Assert.Equal(
            [
                (1, Stack.Geo), (1, Stack.Plain), (1, Stack.Orleans), (1, Stack.Orleans), (2, Stack.Geo), (2, Stack.Plain), (3, Stack.Geo),
                (3, Stack.Plain),
            ],
            plan.RunsOf(plan.Cells[0]).Select(run => (run.Repeat, run.Variant.Stack)));
    }

    [Fact]
    public void The_matrix_of_the_store_is_that_of_its_cells() =>
        Assert.All(Plan("--matrix-kv").Cells, cell => Assert.Equal(Workload.KeyValue, cell.Cell.Workload));

    [Fact]
    public void Orleans_is_left_out_where_it_is_not_at_hand() =>
        Assert.DoesNotContain(Stack.Orleans, StacksOf(Plan("--must-show", hasOrleans: false)));

    [Theory]
    [InlineData("--must-show --delay-lines", true)]
    [InlineData("--must-show", false)]
    public void Orleans_runs_on_loopback_only_where_there_are_no_namespaces(string options, bool hasTunnels)
    {
        var plan = Plan(options, hasTunnels: hasTunnels);

        var withOrleans = plan.Cells.Where(cell => cell.References.Any(variant => variant.Stack == Stack.Orleans)).ToList();
        Assert.NotEmpty(withOrleans);
        Assert.All(withOrleans, cell => Assert.Equal(0, cell.Cell.RoundTripMilliseconds));
    }

    [Fact]
    public void With_one_lane_no_variant_stands_there_twice() =>
        Assert.All(
            Plan("--must-show --lanes 1").Cells,
            cell => Assert.Equal(cell.Variants.Count, cell.Variants.DistinctBy(variant => variant.Name).Count()));

    [Fact]
    public void A_name_that_nothing_has_is_refused() =>
        Assert.Contains("--list", Assert.Throws<GeoConfigurationException>(() => Plan("--only nothing")).Message, StringComparison.Ordinal);

    [Fact]
    public void A_number_out_of_range_is_refused() =>
        Assert.Contains(Parse("--lanes 65").Parsed.Errors, error => error.Message.Contains("1 to 64, not 65", StringComparison.Ordinal));

    private static IEnumerable<Stack> StacksOf(RunPlan plan) => plan.Cells.SelectMany(plan.RunsOf).Select(run => run.Variant.Stack);

    private static RunPlan Plan(string options, bool hasOrleans = true, bool hasTunnels = true)
    {
        var (set, parsed) = Parse(options);
        Assert.Empty(parsed.Errors);
        return set.PlanOf(parsed, hasOrleans, hasTunnels);
    }

    private static (MessagingOptionSet Set, ParseResult Parsed) Parse(string options)
    {
        var (set, command) = (new MessagingOptionSet(), new Command("messaging"));
        set.AddTo(command);
        return (set, command.Parse(options.Split(' ', StringSplitOptions.RemoveEmptyEntries)));
    }
}
