namespace TpcwMini.Store;

internal static class StoreRole
{
    /// <summary>The hidden command.</summary>
    public const string Name = "role-store";

    public static Task<int> RunAsync() => throw new NotSupportedException();
}
