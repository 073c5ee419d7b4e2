
namespace TpcwMini.Store;

internal static class AccountClient
{
    public static IConditionalStore Connect(string account, TimeSpan latency) => throw new NotSupportedException(account + latency);
}
