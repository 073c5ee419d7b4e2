// All classes that can serve ICart, side by side: nothing but their attributes differs. A run serves one of them.
namespace TpcwMini.Grains;

/// <summary>The cart as the paper has it.</summary>
[GlobalSingleInstance]
public sealed class OptimisticCart : CartGrain;

/// <summary>The cart that no silence of a region doubles.</summary>
[GlobalSingleInstance(SingleInstanceMode.Pessimistic)]
public sealed class PessimisticCart : CartGrain;

/// <summary>The cart that is kept by majority.</summary>
[GlobalSingleInstance(SingleInstanceMode.Quorum)]
public sealed class QuorumCart : CartGrain;
