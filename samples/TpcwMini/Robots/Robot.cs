using TpcwMini.Grains;
using TpcwMini.Options;

namespace TpcwMini.Robots;

/// <summary>
/// One customer (GEO section 4.4): create, add, buy, confirm with a pause between, then nothing until the next workflow may start.
/// Thousands run at once, each an asynchronous state machine that holds no thread while it waits.
/// </summary>
internal sealed class Robot(
    string name, string runId, Func<OpenOrder> open, int items, Random random, RunClock clock, RegionWatch watch, RegionRecord record)
{
    private int _workflows;

    /// <summary>Runs until told to stop; a step that has begun is brought to its end first.</summary>
    /// <param name="offset">How long after the start of the run the first workflow begins.</param>
    /// <param name="stop">Ends the run.</param>
    public async Task RunAsync(TimeSpan offset, CancellationToken stop)
    {
        await Pause(offset, stop);
        while (!stop.IsCancellationRequested)
        {
            if (watch.IsKilled(record.Cluster))
            {
                // The customer finds the shop closed, and looks again.
                await Pause(Defaults.WorkflowInterval / 2, stop);
                continue;
            }

            var began = clock.Now;
            await RunWorkflow(stop);
            await Pause(began + Defaults.WorkflowInterval - clock.Now, stop);
        }
    }

    private async Task RunWorkflow(CancellationToken stop)
    {
        var order = $"{runId}/{name}/{++_workflows}";
        var began = clock.Now;
        var line = new CartLine(ItemName(random.Next(items)), 1);
        var opened = open();
        try
        {
            await RunWorkflow(opened.Cart, order, line, began, stop);
        }
        finally
        {
            opened.Close();
        }
    }

    private async Task RunWorkflow(ICart cart, string order, CartLine line, TimeSpan began, CancellationToken stop)
    {
        foreach (var step in Steps)
        {
            if (step != StepKind.Create)
            {
                await Pause(Defaults.ThinkTime, stop);
            }

            if (stop.IsCancellationRequested)
            {
                return;
            }

            if (await TryStep(cart, step, order, line) is not { } outcome)
            {
                return;
            }

            if (outcome == StepOutcome.SoldOut)
            {
                record.WorkflowAborted();
                return;
            }

            if (outcome == StepOutcome.NoWorkflow && watch.ExplainsLostCart(record.Cluster, began))
            {
                record.CallInterrupted();
                return;
            }

            if (outcome != StepOutcome.Done)
            {
                // No customer's choice and no shortage: a cart or an item has lost what it knew.
                record.StateVanished(step, outcome);
                return;
            }
        }

        record.OrderConfirmed(new ConfirmedOrder(order, line.Item, line.Quantity));
    }

    /// <summary>The name under which an item is known to everybody.</summary>
    public static string ItemName(int number) => $"item-{number}";

    private static readonly StepKind[] Steps = Enum.GetValues<StepKind>();

    private async Task<StepOutcome?> TryStep(ICart cart, StepKind step, string order, CartLine line)
    {
        var began = clock.Time.GetTimestamp();
        var beganAt = clock.Now;
        StepOutcome outcome;
        try
        {
            outcome = step switch
            {
                StepKind.Create => await cart.Create(order),
                StepKind.Add => await cart.Add((CartLine[])[line]),
                StepKind.Buy => (await cart.Buy()).Outcome,
                _ => await cart.Confirm(),
            };
        }
        catch (Exception error)
        {
            // Whatever a call may throw is counted, in the figures or against the run; the robot goes on like a customer would.
            if (watch.Explains(record.Cluster, error, beganAt))
            {
                record.CallInterrupted();
            }
            else
            {
                record.CallFailed(step, error);
            }

            return null;
        }

        record.StepEnded(step, clock.Time.GetElapsedTime(began));
        return outcome;
    }

    private async Task Pause(TimeSpan pause, CancellationToken stop)
    {
        if (pause > TimeSpan.Zero)
        {
            await Task.Delay(pause, clock.Time, stop)
                .ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing | ConfigureAwaitOptions.ContinueOnCapturedContext);
        }
    }
}
