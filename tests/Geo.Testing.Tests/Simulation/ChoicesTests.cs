namespace Geo.Testing.Tests;

public class ChoicesTests
{
    private static readonly SimulationSeed Seed = new(5);

    [Fact]
    public void A_seed_gives_each_purpose_its_own_choices_and_gives_them_again()
    {
        var first = new Choices(Seed);
        var second = new Choices(Seed);
        second.Next(100, "network");
        Assert.Equal(Draw(first, "order"), Draw(second, "order"));
        Assert.NotEqual(Draw(first, "order"), Draw(first, "network"));
        Assert.NotEqual(Draw(new Choices(new SimulationSeed(6)), "order"), Draw(new Choices(Seed), "order"));
    }

    [Fact]
    public void A_record_gives_the_same_choices_again_and_zeros_past_its_end()
    {
        var drawn = new Choices(Seed);
        var values = Draw(drawn, "order");
        var replay = new Choices(drawn.Record());
        Assert.Equal(values, Draw(replay, "order"));
        Assert.Equal(new int[20], Draw(replay, "order"));
        Assert.Equal(new int[20], Draw(replay, "never drawn before"));
    }

    [Fact]
    public void A_replayed_choice_beyond_its_bound_becomes_the_largest()
    {
        var record = new ChoiceRecord(Seed, new Dictionary<string, ChoiceTapeRecord> { ["order"] = new([7, 1], []) });
        var replay = new Choices(record);
        Assert.Equal([2, 1, 0], Enumerable.Range(0, 3).Select(_ => replay.Next(3, "order")));
    }

    [Fact]
    public void Zero_is_no_fault_and_the_least_delay()
    {
        var mild = new Choices(new ChoiceRecord(Seed, new Dictionary<string, ChoiceTapeRecord>())).Tape("network");
        Assert.False(mild.Chance(0.999));
        Assert.True(mild.Chance(1));
        Assert.Equal(TimeSpan.FromMilliseconds(20), mild.Between(TimeSpan.FromMilliseconds(20), TimeSpan.FromMilliseconds(120)));
    }

    [Fact]
    public void A_chance_comes_true_about_as_often_as_it_says()
    {
        var stream = new Choices(Seed).Tape("network");
        Assert.InRange(Enumerable.Range(0, 10_000).Count(_ => stream.Chance(0.3)), 2800, 3200);
    }

    [Fact]
    public void A_span_names_the_choices_made_within_it()
    {
        var choices = new Choices(Seed);
        var stream = choices.Tape("faults");
        stream.Next(10);
        using (stream.Span("crash eu"))
        {
            stream.Next(10);
            using (stream.Span("wait"))
            {
                stream.Next(10);
            }
        }

        Assert.Equal([new ChoiceSpan("wait", 2, 3), new ChoiceSpan("crash eu", 1, 3)], choices.Record().Tapes["faults"].Spans);
    }

    private static int[] Draw(Choices choices, string purpose) => [.. Enumerable.Range(0, 20).Select(_ => choices.Next(1000, purpose))];
}
