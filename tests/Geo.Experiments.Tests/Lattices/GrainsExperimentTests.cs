using Geo.Experiments.Lattices;

namespace Geo.Experiments.Tests.Lattices;

public sealed class GrainsExperimentTests
{
    [Fact]
    public async Task Every_class_shows_as_many_as_were_added()
    {
        await using var output = new StringWriter();
        await new GrainsExperiment(5, TimeSpan.FromMilliseconds(30), output, TextWriter.Null)
            .RunAsync(TestContext.Current.CancellationToken);
        var rows = output.ToString().Split('\n').Count(line => line.Contains("[BatchedCas]", StringComparison.Ordinal));
        Assert.Equal(6, rows);
        Assert.DoesNotContain("WRONG", output.ToString(), StringComparison.Ordinal);
    }
}
