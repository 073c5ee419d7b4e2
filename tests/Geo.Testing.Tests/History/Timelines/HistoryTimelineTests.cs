namespace Geo.Testing.Tests;

public class HistoryTimelineTests
{
    [Fact]
    public void The_page_loads_nothing_and_runs_nothing()
    {
        var page = Violation("<script>alert('&')</script>", "7");
        Assert.DoesNotContain("<script", page, StringComparison.OrdinalIgnoreCase);
        Assert.DoesNotContain("src=", page, StringComparison.OrdinalIgnoreCase);
        Assert.DoesNotContain("href=", page, StringComparison.OrdinalIgnoreCase);
        Assert.DoesNotContain("url(", page, StringComparison.OrdinalIgnoreCase);
        Assert.Contains("&lt;script&gt;alert(&#39;&amp;&#39;)", page, StringComparison.Ordinal);
    }

    [Fact]
    public void Of_a_long_history_the_end_of_the_order_is_drawn()
    {
        var page = Violation(Enumerable.Range(0, 5000).Select(i => $"{i}").Append("x").ToArray());
        Assert.Contains("5001: k read", page, StringComparison.Ordinal);
        Assert.DoesNotContain(">100: k", page, StringComparison.Ordinal);
        Assert.True(page.Length < 100_000, $"{page.Length} characters");
    }

    [Fact]
    public void Operations_of_one_process_that_overlap_are_drawn_below_each_other()
    {
        var history = new History<RegisterCall, string>();
        history.Call("k", "p", new RegisterCall(RegisterCallKind.Write, "1"));
        history.Call("k", "p", new RegisterCall(RegisterCallKind.Read)).Return("2");
        var page = LinearizabilityChecker.Check(history, RegisterCall.Model).ToHtml();
        Assert.Contains("<g class=\"open\"", page, StringComparison.Ordinal);
        Assert.Contains("y=\"26\"", page, StringComparison.Ordinal);
    }

    [Fact]
    public void Where_the_guarantee_holds_nothing_is_drawn()
    {
        var verdict = LinearizabilityChecker.Check(new History<RegisterCall, string>(), RegisterCall.Model);
        Assert.DoesNotContain("<svg", verdict.ToHtml(), StringComparison.Ordinal);
    }

    /// <summary>Writes and reads back each value but the last, which is read without having been written.</summary>
    private static string Violation(params string[] values)
    {
        var history = new History<RegisterCall, string>();
        foreach (var value in values.SkipLast(1))
        {
            history.Call("k", "writer", new RegisterCall(RegisterCallKind.Write, value)).Return("");
        }

        history.Call("k", "reader", new RegisterCall(RegisterCallKind.Read)).Return(values[^2]);
        history.Call("k", "reader", new RegisterCall(RegisterCallKind.Read)).Return(values[^1]);
        return LinearizabilityChecker.Check(history, RegisterCall.Model).ToHtml();
    }
}
