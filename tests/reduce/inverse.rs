//! The inverse of every rule: what broadcasting copies, its gradient sums.
//!
//! Broadcasting the numbers 0, 1, 2, ... says where each element of the wide tensor came from, and so what the sums
//! must be. `<broadcast(x), g> = <x, unbroadcast(g)>` follows, and is asserted too: with small integers it is exact
//! in every type.

use half::f16;
use num_complex::Complex;
use stridecast::{BroadcastError, Element, Over, Reduction, Rule, Tensor, View, reduce};

use crate::values::hash;

/// Shapes to broadcast to.
const WIDE: [&[usize]; 12] = [
    &[],
    &[1],
    &[4],
    &[2, 3],
    &[3, 1],
    &[1, 5],
    &[2, 3, 4],
    &[3, 1, 2],
    &[2, 0, 3],
    &[5, 1, 33],
    &[2, 3, 2, 5],
    &[2, 1, 3, 2, 2],
];

/// A way to broadcast: the shape, the rule's name and its axes.
#[derive(Debug)]
enum Way {
    Numpy,
    Bidirectional,
    Mapping(Vec<usize>),
    Axes(Vec<usize>),
    Like(Vec<usize>),
    Pdpd(Option<usize>),
}

impl Way {
    fn rule(&self) -> Rule<'_> {
        match self {
            Self::Numpy => Rule::Numpy,
            Self::Bidirectional => Rule::Bidirectional,
            Self::Mapping(axes) => Rule::AxesMapping(axes),
            Self::Axes(axes) => Rule::BroadcastAxes(axes),
            Self::Like(axes) => Rule::BroadcastLike(axes),
            Self::Pdpd(axis) => Rule::Pdpd { axis: *axis },
        }
    }
}

/// Every shape that some rule takes to `wide`, by choosing the axes that it has and those of them that are stretched.
fn ways(wide: &[usize]) -> Vec<(Vec<usize>, Way)> {
    let rank = wide.len();
    let mut ways = vec![];
    for kept in 0..1_usize << rank {
        let axes: Vec<_> = (0..rank).filter(|axis| kept >> axis & 1 == 1).collect();
        let lacking: Vec<_> = (0..rank).filter(|axis| !axes.contains(axis)).collect();
        for ones in (0..1_usize << axes.len()).filter(|ones| axes.len() < 4 || hash(*ones as u64).is_multiple_of(3)) {
            let size = |(at, &axis): (usize, &usize)| if ones >> at & 1 == 1 { 1 } else { wide[axis] };
            let shape: Vec<_> = axes.iter().enumerate().map(size).collect();
            let first = axes.first().copied().unwrap_or(0);
            let adjacent = axes.iter().enumerate().all(|(at, &axis)| axis == first + at);
            let trailing = adjacent && first + axes.len() == rank;
            if trailing || axes.is_empty() {
                ways.push((shape.clone(), Way::Numpy));
                ways.push((shape.clone(), Way::Bidirectional));
                ways.push((shape.clone(), Way::Pdpd(None)));
            }
            if adjacent {
                ways.push((shape.clone(), Way::Pdpd(Some(first))));
                ways.push(([&shape[..], &[1, 1]].concat(), Way::Pdpd(Some(first))));
            }
            ways.push((shape.clone(), Way::Mapping(axes.clone())));
            if ones == 0 {
                ways.push((shape.clone(), Way::Axes(lacking.clone())));
                ways.push((shape.clone(), Way::Like(lacking.clone())));
                if axes.len() < rank && axes.iter().enumerate().all(|(at, &axis)| at == axis) {
                    // An empty list means the axes from the rank on.
                    ways.push((shape, Way::Like(vec![])));
                }
            }
        }
    }
    ways
}

type Unbroadcast<T> = fn(&View<'_, T>, &[usize], Rule<'_>) -> Result<Tensor<T>, BroadcastError>;

/// Asserts both for one type; `of` and `to` say how small integers are written in it.
fn check<T: Element + PartialEq + std::fmt::Debug>(unbroadcast: Unbroadcast<T>, of: fn(i64) -> T, to: fn(T) -> i64) {
    let mut tried = 0;
    for wide in WIDE {
        let small = |seed: u64| move |i: usize| (hash(seed + i as u64) % 7) as i64 - 3;
        let len = wide.iter().product();
        let grad: Vec<_> = (0..len).map(small(1)).map(of).collect();
        let grad = View::new(&grad, wide).unwrap();
        for (shape, way) in ways(wide) {
            let rule = way.rule();
            // A scalar with a list of one axis and the like: what the rules themselves refuse is tested with them.
            if rule.output_shape(&shape, wide).ok().as_deref() != Some(wide) {
                continue;
            }
            tried += 1;
            let count: usize = shape.iter().product();
            let origins: Vec<i64> = (0..count as i64).collect();
            let origins = View::new(&origins, &shape).unwrap().broadcast(wide, rule).unwrap().to_tensor().unwrap();
            let mut sums = vec![0; count];
            for (&at, &g) in origins.as_slice().iter().zip(grad.data()) {
                sums[at as usize] += to(g);
            }
            let got = unbroadcast(&grad, &shape, rule).unwrap();
            assert_eq!(got.shape(), shape, "{way:?} to {wide:?}");
            let got: Vec<_> = got.as_slice().iter().map(|&sum| to(sum)).collect();
            assert_eq!(got, sums, "{shape:?} by {way:?} to {wide:?}");

            let x: Vec<_> = (0..count).map(small(99)).map(of).collect();
            let stretched = View::new(&x, &shape).unwrap().broadcast(wide, rule).unwrap().to_tensor().unwrap();
            let left: i64 = stretched.as_slice().iter().zip(grad.data()).map(|(&a, &b)| to(a) * to(b)).sum();
            let right: i64 = x.iter().zip(&got).map(|(&a, &b)| to(a) * b).sum();
            assert_eq!(left, right, "{shape:?} by {way:?} to {wide:?}");
        }
    }
    assert!(tried > 500, "{tried} ways");
}

#[test]
fn of_every_rule() {
    check::<i64>(reduce::unbroadcast, |n| n, |n| n);
    check::<i8>(reduce::unbroadcast, |n| n as i8, |n| n.into());
    check::<f32>(reduce::unbroadcast, |n| n as f32, |x| x as i64);
    check::<f64>(reduce::unbroadcast, |n| n as f64, |x| x as i64);
    // Sums of up to 120 numbers below 4 are whole halves.
    check::<f16>(reduce::unbroadcast, |n| f16::from_f32(n as f32), |x| x.to_f32() as i64);
    check::<Complex<f64>>(reduce::unbroadcast, |n| Complex::new(n as f64, 0.0), |z| z.re as i64);
}

/// `sum_to` is the inverse of NumPy's rule, and its forms into and onto say the same.
#[test]
fn of_numpys_rule_in_all_forms() {
    for wide in WIDE {
        let grad: Vec<i32> = (0..wide.iter().product()).map(|i: usize| hash(i as u64) as i32 % 100).collect();
        let grad = View::new(&grad, wide).unwrap();
        for (shape, _) in ways(wide).iter().filter(|(_, way)| matches!(way, Way::Numpy)) {
            let wanted = reduce::unbroadcast(&grad, shape, Rule::Numpy).unwrap();
            let sum = reduce::sum_to(&grad, shape).unwrap();
            assert_eq!((sum.shape(), sum.as_slice()), (wanted.shape(), wanted.as_slice()));
            let mut room = vec![-1; wanted.as_slice().len()];
            reduce::sum_to_into(&grad, shape, &mut room).unwrap();
            assert_eq!(room, wanted.as_slice());
            let target = stridecast::ViewMut::new(&mut room, shape).unwrap();
            reduce::sum_to_add(&grad, target).unwrap();
            assert!(room.iter().zip(wanted.as_slice()).all(|(&twice, &once)| twice == 2 * once));
        }
    }
}

/// Both operands of a binary function: each sums what the other stretched.
#[test]
fn of_both_operands() {
    let pairs: [(&[usize], &[usize]); 9] = [
        (&[2, 1], &[3]),
        (&[3], &[2, 3]),
        (&[], &[4, 5]),
        (&[4, 1, 5], &[3, 1]),
        (&[2, 3], &[2, 3]),
        (&[1, 1], &[1]),
        (&[0, 3], &[3]),
        (&[2, 1, 4, 1], &[5, 1, 33]),
        (&[1], &[0]),
    ];
    for (a, b) in pairs {
        for (a, b) in [(a, b), (b, a)] {
            let wide = stridecast::broadcast_shapes(&[a, b]).unwrap();
            let grad: Vec<i64> = (0..wide.iter().product()).map(|i: usize| hash(i as u64) as i64 % 100).collect();
            let grad = View::new(&grad, &wide).unwrap();
            let (of_a, of_b) = reduce::sum_to_both(&grad, a, b).unwrap();
            for (got, shape) in [(of_a, a), (of_b, b)] {
                let wanted = reduce::unbroadcast(&grad, shape, Rule::Bidirectional).unwrap();
                assert_eq!((got.shape(), got.as_slice()), (shape, wanted.as_slice()), "{a:?} {b:?}");
            }
        }
    }
    let grad = View::new(&[1.0_f32; 6], &[2, 3]).unwrap();
    assert!(reduce::sum_to_both(&grad, &[2, 3], &[2]).is_err());
    assert!(reduce::sum_to_both(&grad, &[2], &[2, 3]).is_err());
}

/// Every other reduction over the axes of a rule takes the same elements together.
#[test]
fn of_a_rule_for_other_reductions() {
    let x: Vec<i32> = (0..24).map(|i| hash(i) as i32 % 9).collect();
    let view = View::new(&x, &[2, 3, 4]).unwrap();
    let over = Over::Rule { shape: &[3], rule: Rule::AxesMapping(&[1]) };
    let group = |channel: usize| (0..24).filter(move |i| i / 4 % 3 == channel).map(|i| x[i]);
    let largest: Tensor<i32> = reduce::reduce(Reduction::Max, &view, over).unwrap();
    assert_eq!(largest.as_slice(), [0, 1, 2].map(|channel| group(channel).max().unwrap()));
    let product: Tensor<i32> = reduce::reduce(Reduction::Prod, &view, over).unwrap();
    assert_eq!(product.as_slice(), [0, 1, 2].map(|channel| group(channel).product()));
}

/// The named functions are the reductions that they are named after.
#[test]
fn named_functions() {
    let x = [3_u8, 200, 7, 100, 250, 9];
    let view = View::new(&x, &[2, 3]).unwrap();
    assert_eq!(reduce::sum_axes(&view, &[0], false).unwrap().as_slice(), [103, 194, 16]);
    let wide = reduce::sum_axes_wide(&view, &[1], true).unwrap();
    assert_eq!((wide.shape(), wide.as_slice()), (&[2, 1][..], &[210_u64, 359][..]));
    let wide = reduce::sum_axes_wide(&View::new(&[i32::MIN; 5], &[5]).unwrap(), &[0], false).unwrap();
    assert_eq!(wide.as_slice(), [5 * i64::from(i32::MIN)]);
    assert_eq!(reduce::max_axes(&view, &[0], false).unwrap().as_slice(), [100, 250, 9]);
    assert_eq!(reduce::min_axes(&view, &[1], false).unwrap().as_slice(), [3, 9]);
    let product = x.into_iter().fold(1, u8::wrapping_mul);
    assert_eq!(reduce::prod_axes(&view, &[0, 1], false).unwrap().as_slice(), [product]);
    let x = [1.0_f64, 2.0, 6.0];
    let mean = reduce::mean_axes(&View::new(&x, &[3]).unwrap(), &[0], true).unwrap();
    assert_eq!((mean.shape(), mean.as_slice()), (&[1][..], &[3.0][..]));
}
