namespace Geo.Orleans.Tests.Features.Grains;

public sealed class Alarm : Grain, IAlarm, IRemindable
{
    private static readonly TimeSpan Period = TimeSpan.FromMilliseconds(200);

    private IRoamer? _toCall;
    private string? _called;

    public Task Set(IRoamer toCall)
    {
        _toCall = toCall;
        return this.RegisterOrUpdateReminder("alarm", TimeSpan.Zero, Period);
    }

    public Task<string?> Called() => Task.FromResult(_called);

    public async Task ReceiveReminder(string reminderName, TickStatus status) => _called = _toCall is null ? null : await _toCall.Where();
}
