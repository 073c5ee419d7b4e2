using TpcwMini.Grains;
using TpcwMini.Robots;

namespace TpcwMini.Tests.Robots;

/// <summary>A cart that takes as long and answers as the test says, and notes who called when.</summary>
internal sealed class ScriptedCart(TimeProvider time, Func<StepKind, int, Task<StepOutcome>> script) : ICart
{
    private readonly long _start = time.GetTimestamp();
    private int _workflow;

    public List<(StepKind Step, TimeSpan At)> Calls { get; } = [];

    public Task<StepOutcome> Create(string order)
    {
        _workflow++;
        return Call(StepKind.Create);
    }

    public Task<StepOutcome> Add(IReadOnlyList<CartLine> lines) => Call(StepKind.Add);

    public async Task<BuyReply> Buy() => new(await Call(StepKind.Buy), 1);

    public Task<StepOutcome> Confirm() => Call(StepKind.Confirm);

    private Task<StepOutcome> Call(StepKind step)
    {
        Calls.Add((step, time.GetElapsedTime(_start)));
        return script(step, _workflow);
    }
}
