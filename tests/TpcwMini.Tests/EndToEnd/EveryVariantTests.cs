using System.Text.Json;
using TpcwMini.Options;

namespace TpcwMini.Tests.EndToEnd;

public sealed class EveryVariantTests(MatrixRun matrix) : IClassFixture<MatrixRun>
{
    public static TheoryData<string> Variants => [.. Variant.Sensible.Select(variant => variant.ToString())];

    [Theory]
    [MemberData(nameof(Variants))]
    public void A_variant_sells_from_one_stock_and_breaks_no_promise(string name)
    {
        var variant = Variant.Sensible.Single(one => one.ToString() == name);
        var run = matrix.Json.GetProperty("runs").EnumerateArray().Single(one =>
            (Text(one, "api"), Text(one, "state"), Text(one, "instancing"), Text(one, "reads"))
            == (Variant.Word(variant.Api), Variant.Word(variant.State), Variant.Word(variant.Instancing), Variant.Word(variant.Reads)));

        foreach (var mustBeZero in (string[])["oversoldItems", "lostOrders", "duplicateOrders", "errors", "interrupted"])
        {
            Assert.Equal(0, run.GetProperty(mustBeZero).GetInt64());
        }

        Assert.True(run.GetProperty("stepsInTime").GetInt64() > 0);
        Assert.True(run.GetProperty("stepsCompleted").GetInt64() >= run.GetProperty("stepsInTime").GetInt64());
        Assert.True(run.GetProperty("confirmedOrders").GetInt64() > 0);
        Assert.True(run.GetProperty("latencyMs").GetProperty("confirm").GetProperty("p50").GetDouble() > 0);
    }

    [Fact]
    public void The_table_shows_every_variant_beside_the_paper()
    {
        Assert.Equal(Variant.Sensible.Count, matrix.Json.GetProperty("matrix").GetArrayLength());
        Assert.Contains("paper", matrix.Outcome.Output);
        Assert.Contains("29k", matrix.Outcome.Output);
        Assert.Contains("| basic persistent single |", matrix.Outcome.Output);
    }

    private static string Text(JsonElement run, string member) => run.GetProperty(member).GetString()!;
}
