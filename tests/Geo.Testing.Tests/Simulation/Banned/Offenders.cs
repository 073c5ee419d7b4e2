namespace Geo.Testing.Tests;

/// <summary>One method for each kind of offence.</summary>
internal static class Offenders
{
    public static DateTime Clock() => DateTime.UtcNow;

    public static long Ticks() => Environment.TickCount64;

    public static Guid Id() => Guid.NewGuid();

    public static int Chance() => Random.Shared.Next();

    public static Task Pool() => Task.Run(static () => { });

    public static Func<Task> PoolInALambda() => static () => Task.Run(static () => { });

    public static async Task WaitAsync() => await Task.Delay(1);

    public static async Task LeaveAsync(Task task) => await task.ConfigureAwait(false);

    public static async Task<int> LeaveWithAValueAsync(ValueTask<int> task) => await task.ConfigureAwait(false);

    public static ITimer SystemClock() => TimeProvider.System.CreateTimer(static _ => { }, null, TimeSpan.Zero, TimeSpan.Zero);

    public static CancellationTokenSource TimeOut() => new(TimeSpan.FromSeconds(1));

    public static Func<Guid> MethodGroup() => Guid.NewGuid;
}
